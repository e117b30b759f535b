"""Coverage-guided fuzzing: five harnesses that turn bytes into what every campaign judges."""
