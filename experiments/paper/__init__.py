"""The experiments of Fan, Zeng and Cao (2013), and ours beside them.

``python -m paper`` from the folder ``experiments`` runs everything that is not done yet and writes
the results, the figures and the page; see ``__main__``. From the data to the page:

* `settings`: how much is done; `sets`: the data; `features`: ten features of communities;
* `methods`: what is compared; `tuning`: how a method gets its parameter;
* `jobs`: data x methods x seeds as a list of jobs, each giving rows; `real`, `synthetic`,
  `properties` and `speed` hold the jobs of each kind;
* `records`: the rows and the file of each finished job; `run`: two processes, progress, resuming;
* `shown`: the tables, figures, verdicts and the page, all of them functions of the CSV, with the
  numbers printed in the paper beside ours.
"""
