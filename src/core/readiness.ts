/** What the operator asks the gateway for. */

/** Whether the gateway can do its work now; `checks` names what was looked at, `ok` or the reason why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}
