/** Error codes of configuration, secrets and bootstrap. */

import { defineErrors, type ErrorDefinition, GatewayError } from '../../core/errors.ts';

export const CONFIG_ERRORS = defineErrors({
  CONFIG_NOT_FOUND: { kind: 'invalid-input', message: 'The configuration file cannot be read.' },
  CONFIG_INVALID: { kind: 'invalid-input', message: 'The configuration is invalid.' },
  SECRETS_EXPOSED: {
    kind: 'invalid-input',
    message: 'Other users can read the secret key; allow only its owner to read it (chmod 600).',
  },
  SECRETS_DAMAGED: {
    kind: 'invalid-input',
    message: 'The secret key is not 64 hexadecimal digits; restore the correct one.',
  },
  SECRETS_UNAVAILABLE: { kind: 'unavailable', message: 'The secret key cannot be read or created.' },
});

/** One invalid key or value. `message` names the expected value and never contains a credential. */
export interface ConfigProblem {
  /** `sluice.yaml:12:5` or `environment variable SLUICE_LISTEN_API`. */
  readonly source: string;
  /** `cameras[2].rtsp`; '' for the file as a whole. */
  readonly key: string;
  readonly message: string;
}

/** Adds a problem at the place that the key's value came from. */
export type Reject = (key: string, message: string) => void;

/** An unusable configuration, with everything that is wrong with it. */
export class ConfigError extends GatewayError {
  readonly problems: readonly ConfigProblem[];

  constructor(
    problems: readonly ConfigProblem[],
    definition: ErrorDefinition = CONFIG_ERRORS.CONFIG_INVALID,
  ) {
    super(definition, { problems: problems.map((problem) => `\n  ${describeProblem(problem)}`).join('') });
    this.problems = problems;
  }
}

/** One line for people: where, which key, the expected value. */
export function describeProblem({ source, key, message }: ConfigProblem): string {
  return key === '' ? `${source}: ${message}` : `${source}: ${key}: ${message}`;
}
