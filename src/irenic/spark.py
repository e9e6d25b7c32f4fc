"""Rules in Spark: an estimator for pipelines of ``pyspark.ml``, whose models score by SQL."""

# ruff: noqa: N802, N815 (names as in Spark)

from __future__ import annotations

import inspect
from importlib import import_module
from typing import Any, Final

from irenic.errors import ConditionError, DataError
from irenic.formats import read_model
from irenic.formats.json.model import dumps
from irenic.formats.sql.source import scoring_of
from irenic.learn import Evolution, RuleSetClassifier

__all__ = ["SparkRuleSetClassifier", "SparkRuleSetModel"]

try:
    _ml: Any = import_module("pyspark.ml")
    _util: Any = import_module("pyspark.ml.util")
    _param: Any = import_module("pyspark.ml.param")
except ImportError:  # the module can be imported, but not used
    _ml = _util = _param = None

_OPTIONS: Final = tuple(inspect.signature(RuleSetClassifier).parameters)
"""The parameters of the classifier that learns the rules."""


def _column(name: str, doc: str) -> Any:
    """Return a parameter that is the name of a column."""
    if _param is None:
        return None
    text = _param.TypeConverters.toString
    return _param.Param(_param.Params._dummy(), name, doc, typeConverter=text)


class _Columns(*(() if _param is None else (_param.Params,))):  # type: ignore[misc]
    """The columns that an estimator and its model read and add."""

    labelCol = _column("labelCol", "column with the labels")
    weightCol = _column("weightCol", "column with the weights of rows")
    predictionCol = _column("predictionCol", "new column with the predicted labels")
    probabilityCol = _column("probabilityCol", "new column with the probabilities of the labels")
    ruleCol = _column("ruleCol", "new column with the number of the deciding rule, from 1")
    featureCols = None if _param is None else _param.Param(
        _param.Params._dummy(),
        "featureCols",
        "columns that rules may test",
        typeConverter=_param.TypeConverters.toListString,
    )  # fmt: skip

    def _named(self, param: str) -> Any:
        """Return a parameter, None if it is not set."""
        return self.getOrDefault(param) if self.isDefined(getattr(self, param)) else None


_ESTIMATOR: Final = () if _ml is None else (
    _ml.Estimator, _util.DefaultParamsReadable, _util.DefaultParamsWritable,
)  # fmt: skip
_MODEL: Final = () if _ml is None else (_ml.Model, _util.MLReadable, _util.MLWritable)
_WRITER: Final = () if _ml is None else (_util.MLWriter,)
_READER: Final = () if _ml is None else (_util.MLReader,)


class SparkRuleSetClassifier(_Columns, *_ESTIMATOR):  # type: ignore[misc]
    """Estimator of ``pyspark.ml`` that learns a set of rules.

    ``fit`` learns from a Spark DataFrame as :class:`irenic.RuleSetClassifier` does, and
    ``transform`` of the model adds columns by SQL expressions: no Python runs on the rows. Both
    work in a ``pyspark.ml.Pipeline``.

    Parameters
    ----------
    labelCol : str
        The column with the labels (default: ``"label"``).
    featureCols : list of str, optional
        The columns that rules may test (default: all but the labels and weights). Numbers, text,
        booleans and dates are used as they are; nothing has to be indexed or assembled.
    weightCol : str, optional
        The column with the weights of rows.
    predictionCol : str
        The new column with the predicted labels, which have the type of the labels (default:
        ``"prediction"``).
    probabilityCol : str, optional
        A new column with a vector of the probabilities of all labels, in the order of
        ``model.classes`` (default: no such column).
    ruleCol : str, optional
        A new column with the number of the deciding rule, from 1; NULL if no rule holds (default:
        no such column).
    **options
        The parameters of :class:`irenic.RuleSetClassifier`, such as ``max_rules``. They are
        parameters of the estimator, too, so that ``ParamGridBuilder`` can vary them.

    Examples
    --------
    >>> from irenic.spark import SparkRuleSetClassifier
    >>> estimator = SparkRuleSetClassifier(labelCol="pays", max_rules=5)  # doctest: +SKIP
    >>> model = estimator.fit(people)  # doctest: +SKIP
    >>> print(model.rules)  # doctest: +SKIP
    IF age < 18 THEN free
    >>> model.transform(people).select("age", "prediction").show()  # doctest: +SKIP
    """

    def __init__(self, **params: Any) -> None:
        _check_pyspark()
        super().__init__()
        self._setDefault(labelCol="label", predictionCol="prediction")
        self.setParams(**params)

    def setParams(self, **params: Any) -> SparkRuleSetClassifier:
        """Set parameters by name."""
        known = {param.name for param in self.params}
        for name in params:
            if name not in known:
                raise ConditionError(
                    f"unknown parameter {name!r} (known: {', '.join(sorted(known))})"
                )
        self._set(**params)
        return self

    def _fit(self, dataset: Any) -> SparkRuleSetModel:
        label, weight, names = map(self._named, ("labelCol", "weightCol", "featureCols"))
        kinds = {field.name: field.dataType.typeName() for field in dataset.schema.fields}
        given = [name for name in (label, weight) if name is not None]
        if names is None:
            names = [name for name in kinds if name not in given]
        for name in [*given, *names]:
            if name not in kinds:
                raise DataError(
                    f"the DataFrame has no column {name!r} (its columns: {', '.join(kinds)})"
                )
        for name in names:
            if kinds[name] in ("vector", "vectorudt", "udt"):
                raise DataError(
                    f"column {name!r} is a vector, whose values have no names; list the columns"
                    " that it was assembled from as featureCols"
                )
        options = {name: self._named(name) for name in _OPTIONS if self.isSet(getattr(self, name))}
        if Evolution.of(options.get("evolution")).conflicts == "vote":
            raise ConditionError(
                "conflicts must not be 'vote' in Spark, because rules are scored by SQL, in which"
                " one rule decides; use 'avoid' or 'best'"
            )
        quoted = ["`" + name.replace("`", "``") + "`" for name in (*names, *given)]
        clf = RuleSetClassifier(**options)
        clf.fit(dataset.select(*quoted), target=label, sample_weight=weight)
        model: SparkRuleSetModel = self._copyValues(SparkRuleSetModel(clf))
        return model


if _param is not None:
    for _name in _OPTIONS:
        _doc = "see irenic.RuleSetClassifier"
        setattr(SparkRuleSetClassifier, _name, _param.Param(_param.Params._dummy(), _name, _doc))


class SparkRuleSetModel(_Columns, *_MODEL):  # type: ignore[misc]
    """Rules that :class:`SparkRuleSetClassifier` learned, and any other fitted classifier in Spark.

    Parameters
    ----------
    classifier : RuleSetClassifier
        A fitted classifier; a model of ``irenic.read_model`` is one, too.
    **params
        The columns, as those of :class:`SparkRuleSetClassifier`.

    Examples
    --------
    >>> from irenic.spark import SparkRuleSetModel
    >>> model = SparkRuleSetModel(irenic.read_model("model.json"), ruleCol="rule")  # doctest: +SKIP
    >>> model.transform(people).show()  # doctest: +SKIP
    """

    def __init__(self, classifier: Any, **params: Any) -> None:
        _check_pyspark()
        super().__init__()
        if not hasattr(classifier, "chosen_"):
            raise ConditionError(
                f"classifier must be a fitted classifier, got {type(classifier).__name__}"
            )
        self.classifier = classifier
        self._setDefault(labelCol="label", predictionCol="prediction")
        self._set(**params)

    @property
    def rules(self) -> Any:
        """The rules."""
        return self.classifier.rules_

    @property
    def classes(self) -> list[Any]:
        """The labels, in the order of the probabilities."""
        return list(self.classifier.classes_.tolist())

    def _transform(self, dataset: Any) -> Any:
        functions = import_module("pyspark.sql.functions")
        added = ("predictionCol", "probabilityCol", "ruleCol")
        prediction, probability, rule = map(self._named, added)
        for param, name in zip(added, (prediction, probability, rule), strict=True):
            if name is not None and name in dataset.columns:
                raise DataError(
                    f"the DataFrame already has a column {name!r}; choose another {param}"
                )
        scoring = scoring_of(self.classifier, "spark", dataset.columns)
        decided = dataset.select("*", *_written(functions, scoring.found))
        said, *likely = scoring.said
        columns = [functions.col(_quoted(name)) for name in dataset.columns]
        if rule is not None:
            number = next(iter(scoring.found))
            columns.append(functions.col(_quoted(number)).alias(rule))
        columns.append(functions.expr(scoring.said[said]).alias(prediction))
        if probability is not None:
            to_vector = import_module("pyspark.ml.functions").array_to_vector
            each = [functions.expr(scoring.said[name]) for name in likely]
            columns.append(to_vector(functions.array(*each)).alias(probability))
        return decided.select(*columns)

    def write(self) -> Any:
        """Return a writer, as Spark's models have: ``model.write().overwrite().save(path)``."""
        return _SparkWriter(self)

    @classmethod
    def read(cls) -> Any:
        """Return a reader of saved models."""
        return _SparkReader()


def _written(functions: Any, columns: dict[str, str]) -> list[Any]:
    return [functions.expr(text).alias(name) for name, text in columns.items()]


def _quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def _check_pyspark() -> None:
    if _ml is None:
        raise DataError("irenic.spark needs pyspark: pip install 'irenic[spark]'")


class _SparkWriter(*_WRITER):  # type: ignore[misc]
    """Writes the parameters as Spark does, and the classifier as JSON beside them."""

    def __init__(self, model: SparkRuleSetModel) -> None:
        super().__init__()
        self._model = model

    def saveImpl(self, path: str) -> None:
        _util.DefaultParamsWriter.saveMetadata(self._model, path, self.sparkSession)
        rows = [(dumps(self._model.classifier),)]
        frame = self.sparkSession.createDataFrame(rows, "classifier string")
        frame.coalesce(1).write.parquet(f"{path}/classifier")


class _SparkReader(*_READER):  # type: ignore[misc]
    """Reads what :class:`_SparkWriter` wrote."""

    def load(self, path: str) -> SparkRuleSetModel:
        metadata = _util.DefaultParamsReader.loadMetadata(path, self.sparkSession)
        [row] = self.sparkSession.read.parquet(f"{path}/classifier").collect()
        model = SparkRuleSetModel(read_model(row["classifier"].encode()))
        model._resetUid(metadata["uid"])
        _util.DefaultParamsReader.getAndSetParams(model, metadata)
        return model
