"""The methods that both clients have. Each makes a call, which the client sends."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, Generic, TypeVar

from novikoff._client import calls
from novikoff._client.calls import Features
from novikoff._client.client_base import ClientBase
from novikoff._client.conversation import await_readiness

DEFAULT_READY_TIMEOUT = 60.0

Record = TypeVar("Record")  # a dict, or what is awaited to get one
Records = TypeVar("Records")
Names = TypeVar("Names")
Learner = TypeVar("Learner")


class Methods(ClientBase, Generic[Record, Records, Names, Learner]):
    """All methods of the clients but ``stream``, which returns another kind of iterator in each."""

    def predict(self, x: Features, *, id: str | None = None, model: str | None = None) -> Record:
        """Predict the label of one example.

        Parameters
        ----------
        x : mapping or str
            Features by name, with numbers, booleans or text as values; or a text, for a model that hashes text.
        id : str, default=None
            Name of the prediction, with which ``label`` tells its label later.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            ``label``, ``score`` (or ``scores`` by label, if there are more than two), ``version`` (the number of
            examples that the model had learned) and ``id``.
        """
        answer: Record = self._call(calls.predict(model or self._model, calls.example(x, id=id)))
        return answer

    def predict_many(
        self, xs: Iterable[Features], *, ids: Sequence[str] | None = None, model: str | None = None
    ) -> Records:
        """Predict the labels of several examples with one version of the model.

        Parameters
        ----------
        xs : iterable of mapping or str
            The examples, as in ``predict``.
        ids : sequence of str, default=None
            Names of the predictions.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        list of dict
            What ``predict`` returns, one per example.
        """
        answers: Records = self._call(calls.predict(model or self._model, calls.examples(xs, None, None, ids)))
        return answers

    def learn(
        self, x: Features, y: Any, *, weight: float | None = None, id: str | None = None, model: str | None = None
    ) -> Record:
        """Learn one example. It is durable when this returns.

        Parameters
        ----------
        x : mapping or str
            The example, as in ``predict``.
        y : str, int or bool
            Its label.
        weight : float, default=None
            How much the example counts; 1 if not given.
        id : str, default=None
            Name of the example: what has the same id is learned once. An example without an id gets a random one,
            unless ``retries`` is 0, so that a request whose answer was lost can be repeated.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            ``predicted`` (the label that the model would have predicted), ``mistake``, ``version``, ``id``, and
            ``repeated`` if an example of this id had been learned before.
        """
        row = calls.example(x, y, weight, id)
        answer: Record = self._call(calls.learn(model or self._model, row, self._gives_ids))
        return answer

    def learn_many(
        self,
        xs: Iterable[Features],
        ys: Sequence[Any],
        *,
        weights: Sequence[float] | None = None,
        ids: Sequence[str] | None = None,
        model: str | None = None,
    ) -> Records:
        """Learn several examples in their order: all of them, or none if one is invalid.

        Parameters
        ----------
        xs : iterable of mapping or str
            The examples, as in ``predict``.
        ys : sequence
            Their labels.
        weights : sequence of float, default=None
            How much each example counts.
        ids : sequence of str, default=None
            Names of the examples, see ``learn``.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        list of dict
            What ``learn`` returns, one per example.
        """
        rows = calls.examples(xs, ys, weights, ids)
        answers: Records = self._call(calls.learn(model or self._model, rows, self._gives_ids))
        return answers

    def label(self, id: str, y: Any, *, model: str | None = None) -> Record:
        """Tell the label of an earlier prediction, from which the model then learns.

        Parameters
        ----------
        id : str
            The name that the prediction was given.
        y : str, int or bool
            The label.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            What ``learn`` returns, and ``served``: the label that had been predicted then.
        """
        answer: Record = self._call(calls.learn(model or self._model, {"id": id, "y": y}, False))
        return answer

    def label_many(self, ids: Sequence[str], ys: Sequence[Any], *, model: str | None = None) -> Records:
        """Tell the labels of several earlier predictions: all of them, or none if one is invalid.

        Parameters
        ----------
        ids : sequence of str
            The names that the predictions were given.
        ys : sequence
            Their labels.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        list of dict
            What ``label`` returns, one per prediction.
        """
        answers: Records = self._call(calls.learn(model or self._model, calls.labels(ids, ys), False))
        return answers

    def models(self) -> Names:
        """List the models of the server.

        Returns
        -------
        list of str
            Their names.
        """
        found: Names = self._call(calls.models())
        return found

    def create(
        self,
        model: str,
        learner: str,
        *,
        parameters: dict[str, Any] | None = None,
        classes: Sequence[Any] | None = None,
        hashing: dict[str, Any] | None = None,
    ) -> Record:
        """Make a model. Making one that exists with the same specification changes nothing.

        Parameters
        ----------
        model : str
            Its name: letters, digits, dots, hyphens and underscores.
        learner : str
            The learner as the command line names it, such as ``"tracker"`` or ``"passive-aggressive-i"``.
        parameters : dict, default=None
            Parameters of the learner.
        classes : sequence, default=None
            The labels, if they are known.
        hashing : dict, default=None
            Parameters of ``Hashing``, for a model that takes text or hashes the names of features.

        Returns
        -------
        dict
            The description of the model.
        """
        wanted = calls.specification(learner, parameters=parameters, classes=classes, hashing=hashing)
        answer: Record = self._call(calls.create(model, wanted))
        return answer

    def copy(self, model: str, to: str) -> Record:
        """Make a model that begins with what another one has learned.

        Parameters
        ----------
        model : str
            The model to copy.
        to : str
            The name of the copy.

        Returns
        -------
        dict
            The description of the copy.
        """
        answer: Record = self._call(calls.copy(model, to))
        return answer

    def delete(self, model: str) -> Record:
        """Delete a model.

        Parameters
        ----------
        model : str
            Its name.

        Returns
        -------
        dict
            Empty.
        """
        answer: Record = self._call(calls.delete(model))
        return answer

    def add_shadow(
        self, shadow: str, learner: str, *, parameters: dict[str, Any] | None = None, model: str | None = None
    ) -> Record:
        """Add a second learner to a model, which learns the same examples and whose mistakes are counted.

        Parameters
        ----------
        shadow : str
            Its name.
        learner : str
            The learner, as in ``create``.
        parameters : dict, default=None
            Parameters of the learner.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            The answer of the server.
        """
        wanted = calls.specification(learner, parameters=parameters)
        answer: Record = self._call(calls.add_shadow(model or self._model, shadow, wanted))
        return answer

    def remove_shadow(self, shadow: str, *, model: str | None = None) -> Record:
        """Remove a shadow learner.

        Parameters
        ----------
        shadow : str
            Its name.
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            Empty.
        """
        answer: Record = self._call(calls.remove_shadow(model or self._model, shadow))
        return answer

    def describe(self, *, model: str | None = None) -> Record:
        """Describe a model: its specification and what it has counted.

        Parameters
        ----------
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            The description.
        """
        answer: Record = self._call(calls.describe(model or self._model))
        return answer

    def certificate(self, *, model: str | None = None) -> Record:
        """Return the certificate of a model: its mistakes and the bounds that hold for them.

        Parameters
        ----------
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        dict
            The certificate.
        """
        answer: Record = self._call(calls.certificate(model or self._model))
        return answer

    def download(self, *, model: str | None = None) -> Learner:
        """Return a copy of what a model has learned, as a learner in this process.

        Parameters
        ----------
        model : str, default=None
            Name of the model, if it is not that of the client.

        Returns
        -------
        object
            The learner.
        """
        learner: Learner = self._call(calls.download(model or self._model))
        return learner

    def ready(self, *, timeout: float = DEFAULT_READY_TIMEOUT) -> Record:
        """Wait until the server has started and loaded what it knows.

        Parameters
        ----------
        timeout : float, default=60.0
            Seconds after which ``ServerError`` is raised.

        Returns
        -------
        dict
            The answer of the server.
        """
        answer: Record = self._run(await_readiness(timeout, self._address.url))
        return answer
