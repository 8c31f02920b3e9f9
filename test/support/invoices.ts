import { imageOfText } from './images-of-text.ts';

/** An image of a printed receipt. */
export async function receiptImage(): Promise<Buffer> {
  const line = (label: string, value: string, y: number) => [
    { text: label, x: 60, y, size: 26 },
    { text: value, x: 460, y, size: 26 },
  ];
  return imageOfText({ width: 640, height: 620 }, [
    { text: 'CORNER BAKERY', x: 170, y: 70, size: 34 },
    { text: 'Date: 21 November 2026', x: 60, y: 140, size: 26 },
    ...line('Sourdough bread', '4.50', 220),
    ...line('Apple cake', '8.00', 270),
    ...line('Subtotal', '12.50', 350),
    ...line('Tax', '1.00', 400),
    ...line('Total', '13.50', 450),
    { text: 'Thank you for your visit', x: 160, y: 560, size: 22 },
  ])
    .png()
    .toBuffer();
}

/** An invoice in Markdown. */
export const invoiceDocument = Buffer.from(
  [
    '# Invoice',
    '',
    'Invoice No.: INV-2026-17',
    '',
    'Date: 21 November 2026',
    '',
    '| Description | Qty | Amount |',
    '| --- | --- | --- |',
    '| Widgets | 3 | 12.00 |',
    '| Bolts | 10 | 5.00 |',
    '',
    'Payment is due within thirty days of the date of this invoice, to the account that is named below.',
    '',
  ].join('\n'),
);
