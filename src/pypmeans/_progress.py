"""Progress of a fit, pass by pass: scikit-learn's callbacks where it has them, and `verbose`."""

try:
    from sklearn.callback import CallbackSupportMixin, with_callbacks
except ImportError:  # scikit-learn before 1.9 has no callbacks

    class CallbackSupportMixin:  # type: ignore[no-redef]
        """Nothing to support."""

    def with_callbacks(method):
        """The method as it is."""
        return method


class Progress:
    """Tells callbacks and the screen about each pass of the fit of `estimator`."""

    def __init__(self, estimator):
        self._estimator = estimator
        self._context = None
        if getattr(estimator, "_skl_callbacks", None):
            # None: nobody knows how many passes there will be
            self._context = estimator._init_callback_context(max_subtasks=None)
            self._context.call_on_fit_task_begin(estimator=estimator)

    def __call__(self, n_iter, objective, n_clusters, move):
        """A pass ended with this objective and number of clusters; it began with a `move`."""
        if self._estimator.verbose:
            after = f", after {move}" if move else ""
            print(f"pass {n_iter}: objective {objective:.6g}, {n_clusters} clusters{after}")
        if self._context is not None:
            task = self._context.subcontext(task_name="pass")
            task.call_on_fit_task_begin(estimator=self._estimator)
            task.call_on_fit_task_end(estimator=self._estimator)

    def close(self):
        """The fit ended."""
        if self._context is not None:
            self._context.call_on_fit_task_end(estimator=self._estimator)
