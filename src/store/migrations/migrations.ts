/** Every migration, oldest first. */

import { initialSchema } from './0001-initial-schema.ts';
import { resourcesAndEvents } from './0002-resources-and-events.ts';
import type { Migration } from './migration.ts';

export const MIGRATIONS: readonly Migration[] = [initialSchema, resourcesAndEvents];
