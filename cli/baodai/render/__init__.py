"""What people read: tables, plans, conversations side by side. Plain text in, plain text out."""
