"""Pictures and reports: matplotlib displays with scikit-learn's conventions. They need the extra `show`."""
