/** One subcommand of `sluice`. */
export interface Command {
  /** Printed by `sluice <command> --help`: its purpose, its options, an example. */
  readonly help: string;
  /** Resolves to the exit code. Throws failures: GatewayError for those that the user can fix. */
  run(args: string[]): Promise<number>;
}
