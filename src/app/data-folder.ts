/** File names in the data folder. */

export const DATABASE_FILE = 'sluice.db';
/** Space reserved for revocations on a full disk. */
export const RESERVE_FILE = 'reserve';
/** Where keys made at the first start go if no one is at a terminal. Readable only by the owner. */
export const FIRST_KEYS_FILE = 'first-keys.txt';
/** The master secret, see config/secrets.ts. */
export const SECRET_KEY_FILE = 'secret.key';
