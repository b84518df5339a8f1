/** Names within the data folder. */

export const DATABASE_FILE = 'sluice.db';
