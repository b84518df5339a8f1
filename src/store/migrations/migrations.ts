/** Every migration, oldest first. */

import { initialSchema } from './0001-initial-schema.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [initialSchema];
