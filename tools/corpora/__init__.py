"""What generates the bundled corpora of `course_utils/datasets/corpora/`.

`python -m tools.generate_data` writes them. The reviews' generator stands in the
package, `course_utils.datasets.reviews`, for a lesson makes more of them.
"""
