"""The editor of rules in notebooks: the page in a frame, and the rules that it saves."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from irenic.formats import loads
from irenic.model.decision_table import DecisionTable
from irenic.reporting.page import Report
from irenic.reporting.summarize import summarize

if TYPE_CHECKING:
    from irenic.model.rulelist import RuleList
    from irenic.model.ruleset import RuleSet

_SCRIPT: Final = """
function render({ model, el }) {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-downloads allow-modals");
  frame.title = "Edit rules";
  frame.style.cssText = "width:100%;height:80vh;min-height:30em;border:0";
  frame.srcdoc = model.get("page");
  const listen = (event) => {
    if (event.source !== frame.contentWindow || event.data?.irenic !== "rules") return;
    model.set("edited", String(event.data.rules));
    model.save_changes();
  };
  window.addEventListener("message", listen);
  el.append(frame);
  return () => window.removeEventListener("message", listen);
}
export default { render };
"""


def editor(
    rules: RuleSet | RuleList | DecisionTable,
    properties: str | Iterable[str] = (),
    cases: tuple[Any, Sequence[Any]] | None = None,
) -> Any:
    """Return a widget that shows the page of rules; its ``rules`` are those that were saved last.

    The page checks ``properties`` and ``cases`` as that of :func:`irenic.report` does.
    """
    page = Report(summarize(rules, properties=properties, cases=cases)).editing_html("notebook")
    return _widget_class()(DecisionTable.from_rules(rules).as_rules(), page)


@cache
def _widget_class() -> Any:
    """Return the class of the widget, which is made when anywidget is first needed."""
    try:
        import anywidget
        import traitlets
    except ImportError:
        raise ImportError(
            "editing rules in a notebook needs anywidget; install it with"
            " pip install 'irenic[notebook]'"
        ) from None

    class RuleEditor(anywidget.AnyWidget):  # type: ignore[misc]
        """The page of rules in a frame."""

        _esm = _SCRIPT
        page = traitlets.Unicode().tag(sync=True)
        edited = traitlets.Unicode().tag(sync=True)

        def __init__(self, rules: RuleSet | RuleList, page: str) -> None:
            super().__init__(page=page)
            self.rules = rules

        def __repr__(self) -> str:  # notebooks show the page instead
            return (
                "<editor of rules; it is shown only in a notebook:"
                " elsewhere, save the rules to a file and run irenic edit FILE>"
            )

        @traitlets.observe("edited")  # type: ignore[untyped-decorator]
        def _save(self, change: Any) -> None:
            self.rules = loads(change["new"].encode("utf-8"), format="json")

    return RuleEditor
