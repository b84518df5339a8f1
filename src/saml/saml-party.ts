/** Both sides of a SAML sign-in: our addresses for one provider, and the trusted facts about that provider. Plain data. */

/** Which signature is required. Unsigned assertions are refused with each. */
export const SIGNED_PARTS = ['either', 'assertion', 'response', 'both'] as const;
export type SignedParts = (typeof SIGNED_PARTS)[number];

/** Ours, one set for each provider. */
export interface OwnParty {
  /** Also the address of our metadata. */
  readonly entityId: string;
  /** The assertion consumer service, where browsers post responses. */
  readonly acsUrl: string;
  /** The single logout service. */
  readonly logoutUrl: string;
}

/** Facts from the provider's metadata. */
export interface ProviderParty {
  readonly entityId: string;
  readonly signInUrl: string;
  readonly signInBinding: SamlBinding;
  /** null: the provider has no single logout. */
  readonly logoutUrl: string | null;
  /** Where responses to its logouts go; null: to `logoutUrl`. */
  readonly logoutResponseUrl: string | null;
  /** In PEM. Each of them counts, so that the provider can change its key. */
  readonly certificates: readonly string[];
}

export type SamlBinding = 'redirect' | 'post';

/** The rules for responses of one provider. */
export interface ResponseRules {
  readonly signed: SignedParts;
  readonly requiresEncryption: boolean;
  readonly clockSkewMs: number;
}

/** An RSA key of ours with its certificate, both in PEM. */
export interface SamlKey {
  readonly privateKeyPem: string;
  readonly certificatePem: string;
}

/** Keys of ours: the first one signs, each of them decrypts. */
export type SamlKeys = readonly [SamlKey, ...SamlKey[]];
