/* The floor of every command: a process that does nothing. */
int main(void) { return 0; }
