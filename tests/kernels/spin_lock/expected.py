assert 3384 == 3 * sum(range(48))
