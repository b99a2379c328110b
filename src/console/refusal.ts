/** Why the console refuses a request. Its message is shown to the person. */
export class ConsoleRefusal extends Error {
  override readonly name = 'ConsoleRefusal';
  readonly status: 400 | 401 | 403 | 404 | 405 | 409 | 413 | 415 | 429;

  constructor(status: ConsoleRefusal['status'], message: string) {
    super(message);
    this.status = status;
  }
}
