import { Migration20261121083120 } from './Migration20261121083120.ts';
import { Migration20261121101420_visible_text } from './Migration20261121101420_visible_text.ts';
import { Migration20261121111945_claims } from './Migration20261121111945_claims.ts';
import { Migration20261121112130_upload_sessions } from './Migration20261121112130_upload_sessions.ts';
import { Migration20261121112154_user_description } from './Migration20261121112154_user_description.ts';
import { Migration20261121112155_index_due } from './Migration20261121112155_index_due.ts';
import { Migration20261121112455_direct_uploads } from './Migration20261121112455_direct_uploads.ts';
import { Migration20261121113210_lists_and_search } from './Migration20261121113210_lists_and_search.ts';
import { Migration20261121124154_purge } from './Migration20261121124154_purge.ts';
import { Migration20261121125017_presigned_batches } from './Migration20261121125017_presigned_batches.ts';
import { Migration20261121133131_announced_files } from './Migration20261121133131_announced_files.ts';
import { Migration20261121143000_newest_of_a_medium } from './Migration20261121143000_newest_of_a_medium.ts';
import { Migration20261121143849_retries_and_open_uploads } from './Migration20261121143849_retries_and_open_uploads.ts';
import { Migration20261121145539_upload_records } from './Migration20261121145539_upload_records.ts';
import { Migration20261121154500_confirmed_sha256 } from './Migration20261121154500_confirmed_sha256.ts';
import { Migration20261121180000_engine_due } from './Migration20261121180000_engine_due.ts';
import { Migration20261121223713_image_details } from './Migration20261121223713_image_details.ts';
import { Migration20261122012153_given_keys } from './Migration20261122012153_given_keys.ts';
import { Migration20261122015659_idempotency_answers } from './Migration20261122015659_idempotency_answers.ts';
import { Migration20261122043031_folders } from './Migration20261122043031_folders.ts';
import { Migration20261122043228_access } from './Migration20261122043228_access.ts';
import { Migration20261122044822_keys_and_members } from './Migration20261122044822_keys_and_members.ts';
import { Migration20261122045208_login } from './Migration20261122045208_login.ts';
import { Migration20261122050447_storage_configs } from './Migration20261122050447_storage_configs.ts';
import { Migration20261122051958_documents } from './Migration20261122051958_documents.ts';
import { Migration20261122074645_usage } from './Migration20261122074645_usage.ts';
import { Migration20261122074936_domain_extractions } from './Migration20261122074936_domain_extractions.ts';
import { Migration20261122075112_exports } from './Migration20261122075112_exports.ts';
import { Migration20261122075535_image_imports } from './Migration20261122075535_image_imports.ts';
import { Migration20261122081232_description_tokens } from './Migration20261122081232_description_tokens.ts';
import { Migration20261122082453_extractions } from './Migration20261122082453_extractions.ts';
import { Migration20261122083000_document_words } from './Migration20261122083000_document_words.ts';
import { Migration20261122110500_searchable_text } from './Migration20261122110500_searchable_text.ts';
import { Migration20261122110728_page_layouts } from './Migration20261122110728_page_layouts.ts';
import { Migration20261122111500_chunk_words } from './Migration20261122111500_chunk_words.ts';
import { Migration20261122212156_invitations } from './Migration20261122212156_invitations.ts';
import { Migration20261123001230_export_formats } from './Migration20261123001230_export_formats.ts';
import { Migration20261123001657_schema_and_category_extractions } from './Migration20261123001657_schema_and_category_extractions.ts';
import { Migration20261123032309_webhooks } from './Migration20261123032309_webhooks.ts';
import { Migration20261123033000_live_followers } from './Migration20261123033000_live_followers.ts';
import { Migration20261123080000_videos } from './Migration20261123080000_videos.ts';
import { Migration20261123080100_links } from './Migration20261123080100_links.ts';
import { Migration20261123080216_failing_hosts } from './Migration20261123080216_failing_hosts.ts';
import { Migration20261123123000_link_screenshots } from './Migration20261123123000_link_screenshots.ts';
import { Migration20261123184000_languages_of_scans } from './Migration20261123184000_languages_of_scans.ts';
import { Migration20261123184324_page_lines } from './Migration20261123184324_page_lines.ts';
import { Migration20261123223130_vector_collections } from './Migration20261123223130_vector_collections.ts';
import { Migration20261123223353_document_answers } from './Migration20261123223353_document_answers.ts';
import { Migration20261123230000_chunk_elements } from './Migration20261123230000_chunk_elements.ts';
import { Migration20261123233000_chunk_lexemes } from './Migration20261123233000_chunk_lexemes.ts';
import { Migration20261123234000_descriptor_vectors } from './Migration20261123234000_descriptor_vectors.ts';
import { Migration20261124014730_collections_in_use } from './Migration20261124014730_collections_in_use.ts';
import { Migration20261127175000_files_by_status } from './Migration20261127175000_files_by_status.ts';
import { Migration20261129030000_open_sessions } from './Migration20261129030000_open_sessions.ts';
import { Migration20261129160000_detected_objects } from './Migration20261129160000_detected_objects.ts';
import { Migration20261129162000_one_fold } from './Migration20261129162000_one_fold.ts';
import { Migration20261129163000_video_track } from './Migration20261129163000_video_track.ts';
import { Migration20261129193000_schema_functions } from './Migration20261129193000_schema_functions.ts';
import { Migration20261129234523_reprocessings } from './Migration20261129234523_reprocessings.ts';
import { Migration20261129195305_shares } from './Migration20261129195305_shares.ts';
import { Migration20261129231006_imports } from './Migration20261129231006_imports.ts';
import { Migration20261129194156_page_images } from './Migration20261129194156_page_images.ts';
import { Migration20261130034000_import_passes } from './Migration20261130034000_import_passes.ts';
import { Migration20261130000500_words_rebuilt } from './Migration20261130000500_words_rebuilt.ts';
import { Migration20261130030000_attempts_before } from './Migration20261130030000_attempts_before.ts';
import { Migration20261130034500_session_hours } from './Migration20261130034500_session_hours.ts';
import { Migration20261130073500_providers_of_logins } from './Migration20261130073500_providers_of_logins.ts';
import { Migration20261130090000_partial_passes } from './Migration20261130090000_partial_passes.ts';
import { Migration20261130113000_separators_and_items } from './Migration20261130113000_separators_and_items.ts';
import { Migration20261130025701_retention } from './Migration20261130025701_retention.ts';
import { Migration20261129170000_parent_files } from './Migration20261129170000_parent_files.ts';
import { Migration20261130080000_splits } from './Migration20261130080000_splits.ts';

/** In the order in which they apply. */
export const MIGRATIONS = [
  Migration20261121083120,
  Migration20261121101420_visible_text,
  Migration20261121111945_claims,
  Migration20261121112130_upload_sessions,
  Migration20261121112154_user_description,
  Migration20261121112155_index_due,
  Migration20261121112455_direct_uploads,
  Migration20261121113210_lists_and_search,
  Migration20261121124154_purge,
  Migration20261121125017_presigned_batches,
  Migration20261121133131_announced_files,
  Migration20261121143000_newest_of_a_medium,
  Migration20261121143849_retries_and_open_uploads,
  Migration20261121145539_upload_records,
  Migration20261121154500_confirmed_sha256,
  Migration20261121180000_engine_due,
  Migration20261121223713_image_details,
  Migration20261122012153_given_keys,
  Migration20261122015659_idempotency_answers,
  Migration20261122043031_folders,
  Migration20261122043228_access,
  Migration20261122044822_keys_and_members,
  Migration20261122045208_login,
  Migration20261122050447_storage_configs,
  Migration20261122051958_documents,
  Migration20261122074645_usage,
  Migration20261122074936_domain_extractions,
  Migration20261122075112_exports,
  Migration20261122075535_image_imports,
  Migration20261122081232_description_tokens,
  Migration20261122082453_extractions,
  Migration20261122083000_document_words,
  Migration20261122110500_searchable_text,
  Migration20261122110728_page_layouts,
  Migration20261122111500_chunk_words,
  Migration20261122212156_invitations,
  Migration20261123001230_export_formats,
  Migration20261123001657_schema_and_category_extractions,
  Migration20261123032309_webhooks,
  Migration20261123033000_live_followers,
  Migration20261123080000_videos,
  Migration20261123080100_links,
  Migration20261123080216_failing_hosts,
  Migration20261123123000_link_screenshots,
  Migration20261123184000_languages_of_scans,
  Migration20261123184324_page_lines,
  Migration20261123223130_vector_collections,
  Migration20261123223353_document_answers,
  Migration20261123230000_chunk_elements,
  Migration20261123233000_chunk_lexemes,
  Migration20261123234000_descriptor_vectors,
  Migration20261124014730_collections_in_use,
  Migration20261127175000_files_by_status,
  Migration20261129030000_open_sessions,
  Migration20261129160000_detected_objects,
  Migration20261129162000_one_fold,
  Migration20261129163000_video_track,
  Migration20261129193000_schema_functions,
  Migration20261129195305_shares,
  Migration20261129194156_page_images,
  Migration20261129170000_parent_files,
  Migration20261129231006_imports,
  Migration20261129234523_reprocessings,
  Migration20261130000500_words_rebuilt,
  Migration20261130025701_retention,
  Migration20261130030000_attempts_before,
  Migration20261130034000_import_passes,
  Migration20261130034500_session_hours,
  Migration20261130073500_providers_of_logins,
  Migration20261130080000_splits,
  Migration20261130090000_partial_passes,
  Migration20261130113000_separators_and_items,
];
