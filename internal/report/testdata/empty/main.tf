# Nothing that launches instances.
locals {}
