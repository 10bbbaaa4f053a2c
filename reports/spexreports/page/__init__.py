"""Puts figures and tables on a page, by the templates beside, and into documents."""
