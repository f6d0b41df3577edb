"""What builds, runs and checks the course; none of it is in the package."""
