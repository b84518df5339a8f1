/** One subcommand of `sluice`. */
export interface Command {
  /** Printed by `sluice <command> --help`: what it does, its options, an example. */
  readonly help: string;
  /** Resolves to the exit code. Failures are thrown: GatewayError for what the user can fix. */
  run(args: string[]): Promise<number>;
}
