/** How much it matters that a write is stored. */

/**
 * `vital`: stored even if the disk is full, as long as the reserve lasts (sqlite/disk-reserve.ts). For what removes
 * access. Removals of an organization's rows are always vital.
 */
export type StoredImportance = 'ordinary' | 'vital';
