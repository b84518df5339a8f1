/** Certificates of the keys that sign recordings and cases (src/evidence). Never deleted: old evidence needs them. */

export interface SigningCertificate {
  /** 1 for the first; the highest one is in use. */
  readonly generation: number;
  /** Hexadecimal, as in links of recordings. */
  readonly keyName: string;
  /** X.509 (RFC 7468). */
  readonly pem: string;
  readonly createdAtMs: number;
}

export interface SigningCertificateRepository {
  /** Oldest first. */
  list(): Promise<SigningCertificate[]>;
  /** Adds it, unless there is one of its generation. Returns the stored one. */
  add(certificate: SigningCertificate): Promise<SigningCertificate>;
}
