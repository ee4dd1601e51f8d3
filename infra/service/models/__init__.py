"""Language models: which there are, what they cost, who calls them."""
