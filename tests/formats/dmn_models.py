"""Models of DMN as text, from short descriptions of their parts."""

from __future__ import annotations

from xml.sax.saxutils import escape

import irenic

VERSIONS = {  # and their namespaces
    "1.1": "http://www.omg.org/spec/DMN/20151101/dmn.xsd",
    "1.2": "http://www.omg.org/spec/DMN/20180521/MODEL/",
    "1.3": "https://www.omg.org/spec/DMN/20191111/MODEL/",
    "1.4": "https://www.omg.org/spec/DMN/20211108/MODEL/",
    "1.5": "https://www.omg.org/spec/DMN/20230324/MODEL/",
}


def document(*elements, namespace="urn:m"):
    head = f'<definitions xmlns="{VERSIONS["1.3"]}" namespace="{namespace}" name="m">'
    return f"{head}{''.join(elements)}</definitions>"


def parsed(*elements, path=None, **options):
    text = document(*elements)
    if path is not None:
        path.write_text(text)
        return irenic.parse(path)
    return irenic.parse(text.encode(), format="dmn", name="m.dmn", **options)


def item(name, kind="", *, many=False, allowed="", parts=()):
    """Return the definition of a type; parts are (name, type)."""
    inner = f"<typeRef>{kind}</typeRef>" if kind else ""
    if allowed:
        inner += f"<allowedValues><text>{escape(allowed)}</text></allowedValues>"
    inner += "".join(
        f'<itemComponent name="{part}"><typeRef>{of}</typeRef></itemComponent>'
        for part, of in parts
    )
    collection = ' isCollection="true"' if many else ""
    return f'<itemDefinition name="{name}"{collection}>{inner}</itemDefinition>'


def data(name, kind="number"):
    place = name.replace(" ", "_")
    variable = f'<variable name="{name}" typeRef="{kind}"/>'
    return f'<inputData id="{place}" name="{name}">{variable}</inputData>'


def decision(name, logic, *needs, kind=""):
    """Return a decision; what it needs are ids: D and K begin those of decisions and knowledge."""
    requirements = ""
    for need in needs:
        outer, inner = {
            "D": ("information", "Decision"),
            "K": ("knowledge", "Knowledge"),
        }.get(need[0], ("information", "Input"))
        requirements += f'<{outer}Requirement><required{inner} href="#{need}"/>'
        requirements += f"</{outer}Requirement>"
    reference = f' typeRef="{kind}"' if kind else ""
    return (
        f'<decision id="D{name.replace(" ", "_")}" name="{name}">'
        f'<variable name="{name}"{reference}/>{requirements}{logic}</decision>'
    )


def knowledge(name, parameters, body):
    """Return a function with an id that begins with K; a parameter is a name, or name and type."""
    named = [p if isinstance(p, tuple) else (p, "Any") for p in parameters]
    formal = "".join(f'<formalParameter name="{n}" typeRef="{kind}"/>' for n, kind in named)
    return (
        f'<businessKnowledgeModel id="K{name.replace(" ", "_")}" name="{name}">'
        f'<variable name="{name}"/><encapsulatedLogic>{formal}{body}</encapsulatedLogic>'
        "</businessKnowledgeModel>"
    )


def literal(text):
    return f"<literalExpression><text>{escape(text)}</text></literalExpression>"


def boxed(tag, iterator="", **parts):
    """Return an expression of several parts, which are text or logic; ``_`` ends a keyword."""
    inner = "".join(
        f"<{name.rstrip('_')}>{part if '<' in part[:1] else literal(part)}</{name.rstrip('_')}>"
        for name, part in parts.items()
    )
    attribute = f' iteratorVariable="{iterator}"' if iterator else ""
    return f"<{tag}{attribute}>{inner}</{tag}>"


def context(*entries, result=""):
    parts = [f'<contextEntry><variable name="{n}"/>{logic}</contextEntry>' for n, logic in entries]
    parts += [f"<contextEntry>{result}</contextEntry>"] if result else []
    return f"<context>{''.join(parts)}</context>"


def table(inputs, rows, *, policy="UNIQUE", outputs=("then",), extra="", attributes=""):
    """Return a decision table.

    An input is an expression, perhaps with its type and the text of its values; an output is a
    name or an element, and a row its cells.
    """

    def entries(tag, cells):
        return "".join(f"<{tag}><text>{escape(cell)}</text></{tag}>" for cell in cells)

    columns = ""
    for column in inputs:
        parts = column if isinstance(column, tuple) else (column,)
        text, kind, values = (*parts, "", "")[:3]
        reference = f' typeRef="{kind}"' if kind else ""
        columns += f"<input><inputExpression{reference}><text>{escape(text)}</text>"
        listed = f"<inputValues><text>{escape(values)}</text></inputValues>" if values else ""
        columns += f"</inputExpression>{listed}</input>"
    for name in outputs:
        columns += name if "<" in name else f'<output name="{name}">{extra}</output>'
    for row in rows:
        tests, thens = row[: len(inputs)], row[len(inputs) :]
        columns += f"<rule>{entries('inputEntry', tests)}{entries('outputEntry', thens)}</rule>"
    said = attributes if policy is None else f'hitPolicy="{escape(policy)}"'
    return f"<decisionTable {said}>{columns}</decisionTable>"


def model(inputs, rows, *, before="", attributes="", outputs=("then",), version="1.3"):
    """Return a model of one table named D."""
    logic = table(inputs, rows, policy=None, outputs=outputs, attributes=f'id="t" {attributes}')
    return (
        f'<definitions xmlns="{VERSIONS[version]}" namespace="urn:test" name="m">{before}'
        f'<decision name="D" id="d">{logic}</decision></definitions>'
    )
