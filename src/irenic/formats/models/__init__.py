"""Rules of models that other libraries fitted: one module a library.

A reader asks the model for its rules as data and imports nothing of its library, so none needs to
be installed to import this package. What is read predicts what the model predicts, resolved the
way that the model resolves.
"""

from irenic.formats.models._imodels import from_imodels
from irenic.formats.models._orange import from_orange
from irenic.formats.models._rulekit import from_rulekit
from irenic.formats.models._sklearn import from_sklearn
from irenic.formats.models._wittgenstein import from_wittgenstein

__all__ = ["from_imodels", "from_orange", "from_rulekit", "from_sklearn", "from_wittgenstein"]
