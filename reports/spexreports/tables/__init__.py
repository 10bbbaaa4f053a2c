"""Makes tables: pandas data frames of text for the page (HTML) and for documents (Markdown)."""
