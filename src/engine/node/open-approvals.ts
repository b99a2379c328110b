import { openApprovalStore } from '../../approval/store.js';
import { makeStoredApprovals, type StoredApprovals } from '../../approval/stored-approvals.js';
import { openApprovalFiles } from './approval-files.js';
import { processDefaults } from './process-defaults.js';

/**
 * Opens the approvals of the engines that use a storage directory, without an engine. Default: the
 * storage directory of an engine without that option.
 */
export function openApprovals(
  storageDirectory: string = processDefaults().storageDirectory,
): StoredApprovals {
  return makeStoredApprovals(openApprovalStore(openApprovalFiles(storageDirectory), Date.now));
}
