export interface ReleaseCheck {
  /** A sentence without its end, such as "the provenance names files". */
  readonly what: string;
  readonly isRight: boolean;
}

/** The result of each check, in order. `publicKeyPem`: of the one who must have signed; null: no signature is needed. */
export function verifyRelease(folder: string, publicKeyPem: string | null): ReleaseCheck[];
