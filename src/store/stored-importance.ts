/** How much it matters that a write is stored. */

/**
 * `vital`: is stored even where the disk is full, as long as the reserve lasts (sqlite/disk-reserve.ts). For what takes
 * access away. Removals of an organisation's rows always are.
 */
export type StoredImportance = 'ordinary' | 'vital';
