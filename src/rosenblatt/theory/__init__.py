"""The theory made executable: margins, and separability decided with a proof that anyone can check."""
