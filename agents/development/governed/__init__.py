"""The governed workflows: from an idea to a pull request, each stage reviewed by another family."""
