/** The gateway's responses to an operator's monitoring. */

/** Whether the gateway can do its work now; `checks` names each check, `ok` or the reason why not. */
export interface Readiness {
  readonly ready: boolean;
  readonly checks: Readonly<Record<string, string>>;
}

export interface MetricsText {
  readonly contentType: string;
  readonly body: string;
}
