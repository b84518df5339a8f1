/** Names within the data folder. */

export const DATABASE_FILE = 'sluice.db';
/** Room that is kept for revocations on a full disk. */
export const RESERVE_FILE = 'reserve';
/** Where keys made at the first start go when nobody sits at a terminal. Readable by the owner only. */
export const FIRST_KEYS_FILE = 'first-keys.txt';
/** The master secret, see config/secrets.ts. */
export const SECRET_KEY_FILE = 'secret.key';
