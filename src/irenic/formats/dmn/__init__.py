"""Decision tables in DMN models."""
