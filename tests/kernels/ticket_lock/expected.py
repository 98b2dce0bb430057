# Tickets are served in their order, whatever the threads that draw them.
