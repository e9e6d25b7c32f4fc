"""Prove properties of rules, and certify what was proved."""

from irenic.proving._prove import (
    CertificateError,
    Verdict,
    certificate_document,
    certify,
    parse_properties,
    prove,
    verify,
)
from irenic.proving._prove import decided_text as decided_text
from irenic.proving._smtlib import to_smtlib

__all__ = [
    "CertificateError",
    "Verdict",
    "certificate_document",
    "certify",
    "parse_properties",
    "prove",
    "to_smtlib",
    "verify",
]
