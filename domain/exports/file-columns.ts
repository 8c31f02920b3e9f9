/** The columns available to an export of files, by group, in the display order of clients. */
export const FILE_COLUMN_GROUPS = {
  basic: {
    id: 'File ID',
    title: 'Title',
    filename: 'File name',
    media_type: 'Media type',
    content_type: 'Content type',
    format: 'Format',
    size_bytes: 'Size (bytes)',
    content_category: 'Content category',
    folder_id: 'Folder ID',
    folder_path: 'Folder',
    sha256: 'SHA-256',
  },
  dates: {
    created_at: 'Uploaded at',
    updated_at: 'Updated at',
    content_created_at: 'Created at',
    described_at: 'Described at',
  },
  descriptions: {
    description: 'Description',
    upload_description: 'AI description',
    user_description: 'User description',
    description_provider: 'Described by',
    description_model: 'Model',
  },
  text: {
    visible_text: 'Visible text',
    extracted_text: 'Document text',
  },
  tags: {
    tags: 'Tags',
    tag_count: 'Number of tags',
  },
  image: {
    width: 'Width (px)',
    height: 'Height (px)',
    blur_hash: 'Blur hash',
    camera: 'Camera',
    variant_count: 'Sizes',
  },
  document: {
    document_type: 'Document type',
    page_count: 'Pages',
    chunk_count: 'Chunks',
    document_title: 'Document title',
    document_author: 'Author',
    language: 'Language',
  },
  video: {
    duration_seconds: 'Duration (s)',
    frame_rate: 'Frame rate',
    video_codec: 'Video codec',
    resolution: 'Resolution',
  },
  link: {
    source_url: 'Link',
    domain: 'Domain',
    extracted_images_count: 'Images of the page',
  },
  extraction: {
    extraction_status: 'Extraction: status',
    extracted_domains: 'Extracted',
    extracted_data: 'Extracted data',
    extraction_corrections: 'Corrections',
  },
  status: {
    primary_status: 'Status',
    variant_status: 'Sizes: status',
    description_status: 'Description: status',
    text_extraction_status: 'Text: status',
    digitization_status: 'Structure: status',
    video_analysis_status: 'Video: status',
    crawl_status: 'Page: status',
    compliance_status: 'Compliance',
    description_error: 'Description: error',
  },
} as const;

type Groups = typeof FILE_COLUMN_GROUPS;
export type FileColumnGroup = keyof Groups;
export type FileColumn = { [G in FileColumnGroup]: keyof Groups[G] }[FileColumnGroup];

/** A column with its name and group. */
export interface FileColumnEntry {
  key: FileColumn;
  name: string;
  group: FileColumnGroup;
}

export const FILE_COLUMNS: readonly FileColumnEntry[] = Object.entries(FILE_COLUMN_GROUPS).flatMap(
  ([group, columns]) =>
    Object.entries(columns).map(([key, name]) => ({ key, name, group }) as FileColumnEntry),
);

/** Columns of numbers; the others are text. */
export const NUMBER_COLUMNS: ReadonlySet<FileColumn> = new Set<FileColumn>([
  'size_bytes',
  'tag_count',
  'width',
  'height',
  'variant_count',
  'page_count',
  'chunk_count',
  'extracted_images_count',
  'duration_seconds',
  'frame_rate',
]);
