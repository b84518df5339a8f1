/** What a camera signed in a time of its video. Without Node.js. */

/** Groups of pictures, by what was found. Plain values. */
export interface CameraSignature {
  readonly groups: {
    readonly signed: number;
    readonly incomplete: number;
    readonly changed: number;
    readonly unverifiable: number;
  };
  /** Of the camera; null: none that can be read. */
  readonly certificate: {
    readonly subject: string;
    readonly issuer: string;
    /** In hexadecimal. */
    readonly sha256: string;
  } | null;
  /** As the camera signed it; null: not stated. */
  readonly manufacturer: string | null;
  readonly serialNumber: string | null;
}
