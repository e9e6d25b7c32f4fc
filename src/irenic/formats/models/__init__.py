"""Rules of models fitted with other libraries: one module per library.

Readers take the rules from the attributes of a model and do not import its library. The resulting
rules predict what the model predicts, with the same resolution of conflicts.
"""

from irenic.formats.models._imodels import from_imodels
from irenic.formats.models._orange import from_orange
from irenic.formats.models._rulekit import from_rulekit
from irenic.formats.models._sklearn import from_sklearn
from irenic.formats.models._wittgenstein import from_wittgenstein

__all__ = ["from_imodels", "from_orange", "from_rulekit", "from_sklearn", "from_wittgenstein"]
