"""What is shown of the results: tables, figures, verdicts and the page. No result depends on it."""
