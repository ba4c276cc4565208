"""What the columns of a raw table hold, decided from their values, and how their cells are read.

kinds.py     number, category, code, date, text, boolean, ID, constant: decided for a column, kept by the model
numbers.py   how numbers are written: 1,234.50 or 1.234,50 or 12 % or (5) EUR
dates.py     how dates and times are written: 2024-01-31, 31.01.24 14:05, Jan 31, 2024, epoch seconds
oddities.py  what to look at before a column is believed: -999, 5 kg beside 300 g, 10+, digits that were lost
"""
