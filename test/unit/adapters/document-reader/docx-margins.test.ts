import assert from 'node:assert/strict';
import { test } from 'node:test';
import { marginElements } from '../../../../adapters/document-reader/docx/open-docx.ts';

const paragraph = (...runs: string[]) =>
  `<w:p w:rsidR="00A1"><w:pPr/><w:r>${runs.join('</w:r><w:r>')}</w:r></w:p>`;
const header = (...paragraphs: string[]) =>
  `<?xml version="1.0"?><w:hdr xmlns:w="http://example.com">${paragraphs.join('')}</w:hdr>`;

test('section headers are read line by line, each line once', () => {
  const parts = [
    header(
      paragraph('<w:t xml:space="preserve">Pumps &amp; </w:t>', '<w:t>K&#246;hler &#x2014; 471100</w:t>'),
      paragraph('<w:t>left</w:t>', '<w:tab/>', '<w:t>right</w:t>', '<w:br/>', '<w:t>below</w:t>'),
    ),
    header(
      paragraph('<w:t>Pumps &amp; K\u00F6hler \u2014 471100</w:t>'),
      paragraph(
        '<w:t>Page </w:t>',
        '<w:instrText> PAGE </w:instrText>',
        '<w:t>1</w:t>',
        '<w:delText>gone</w:delText>',
      ),
    ),
  ];
  assert.deepEqual(marginElements(parts, 'page_header'), [
    {
      type: 'paragraph',
      content: 'Pumps & K\u00F6hler \u2014 471100\nleft\tright\nbelow\nPage 1',
      metadata: { role: 'page_header' },
    },
  ]);
  assert.deepEqual(marginElements([header(paragraph('<w:t> </w:t>'))], 'page_footer'), []);
});
