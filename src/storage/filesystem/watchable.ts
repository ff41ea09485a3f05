/** Whether the system reports every change in a folder immediately, so that silence means that nothing changed. */
import fs from "node:fs";

/**
 * Linux file systems (by the type number of `statfs`) that only this kernel can change, and that report each change
 * before the call that made it returns. Network, shared and user-space disks (NFS, SMB, 9p, FUSE, vboxsf) and the lower
 * folders of an overlay can change without the kernel.
 */
const LOCAL: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x9123683e, // btrfs
  0x58465342, // xfs
  0xf2f52010, // f2fs
  0x2fc12fc1, // zfs
  0xca451a4e, // bcachefs
  0x3153464a, // jfs
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x4d44, // vfat
  0x2011bab0, // exfat
  0x7366746e, // ntfs3
]);

/**
 * On other systems notices arrive through a service or a thread, so a call sent after a file was saved could be
 * answered before the notice.
 */
export function isWatchable(location: string): boolean {
  if (process.platform !== "linux") return false;
  try {
    // Node returns a negative number on some machines.
    return LOCAL.has(fs.statfsSync(location).type >>> 0);
  } catch {
    return false;
  }
}
