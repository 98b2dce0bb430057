# Not computed: facts about these numbers (3215031751 is a strong pseudoprime to the bases 2, 3, 5 and 7; 25326001 only to 2, 3 and 5).
