"""Decision tables in CSV and XLSX files."""
