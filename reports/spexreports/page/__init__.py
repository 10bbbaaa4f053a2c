"""Puts figures and tables on a page, by the templates, and into documents."""
