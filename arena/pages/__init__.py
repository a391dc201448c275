"""The site's pages: thin doors that read selectors, call services, and say it in words."""
