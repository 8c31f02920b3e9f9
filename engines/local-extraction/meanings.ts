/** What people ask of invoices, receipts and letters, and what its label is called in five languages. */

/** What a value looks like. */
export type Shape = 'code' | 'date' | 'amount' | 'currency' | 'name' | 'text' | 'iban' | 'vat_id' | 'email';

/** Something that documents state beside a label. */
export interface Meaning {
  shape: Shape;
  /** Labels, the least doubtful first: a value of the first tier is preferred to one of the next. */
  tiers: readonly string[];
  /** Names of properties besides the labels. */
  names?: string;
}

/** English, German, French, Spanish and Arabic labels, parted by `|`. */
export const MEANINGS: Readonly<Record<string, Meaning>> = {
  invoice_number: {
    shape: 'code',
    names: 'invoice reference|document id',
    tiers: [
      'invoice number|invoice id|tax invoice number|bill number|receipt number|document number|Rechnungsnummer|' +
        'Rechnungsnr|Rechnungs-Nr|Rechnung Nr|Belegnummer|Belegnr|Beleg-Nr|numéro de facture|facture numéro|' +
        'numéro facture|n° de facture|facture n°|factura número|número de factura|num factura|رقم الفاتورة|فاتورة رقم',
      'invoice|Rechnung|facture|factura|فاتورة',
    ],
  },
  invoice_date: {
    shape: 'date',
    names: 'date|issued|invoiced on',
    tiers: [
      'invoice date|date of invoice|bill date|billing date|issue date|date of issue|date issued|issued on|' +
        'receipt date|Rechnungsdatum|Datum der Rechnung|Ausstellungsdatum|Belegdatum|date de facture|' +
        "date de la facture|date d'émission|date de facturation|fecha de factura|fecha de la factura|" +
        'fecha de emisión|fecha de expedición|تاريخ الفاتورة|تاريخ الإصدار',
      'date|dated|Datum|fecha|التاريخ',
      'invoice|Rechnung|facture|factura|invoice number|facture n°|Rechnung Nr|factura número',
    ],
  },
  due_date: {
    shape: 'date',
    names: 'payment date|pay until',
    tiers: [
      'due date|payment due date|date due|payment due|due on|due by|pay by|Fälligkeitsdatum|fällig am|fällig bis|' +
        "Fälligkeit|zahlbar bis|Zahlungsziel|Zahlungsfrist|date d'échéance|échéance|date limite de paiement|" +
        'à payer avant|fecha de vencimiento|vencimiento|fecha límite de pago|تاريخ الاستحقاق',
    ],
  },
  order_date: {
    shape: 'date',
    tiers: [
      'order date|date of order|Bestelldatum|Auftragsdatum|date de commande|fecha de pedido|تاريخ الطلب',
    ],
  },
  delivery_date: {
    shape: 'date',
    tiers: [
      'delivery date|shipping date|date of delivery|Lieferdatum|Leistungsdatum|date de livraison|' +
        'fecha de entrega|تاريخ التسليم',
    ],
  },
  order_number: {
    shape: 'code',
    names: 'purchase order',
    tiers: [
      'order number|order id|purchase order number|po number|order reference|Bestellnummer|Bestellnr|Bestell-Nr|' +
        'Auftragsnummer|Auftragsnr|Auftrags-Nr|numéro de commande|commande n°|n° de commande|número de pedido|' +
        'pedido número|رقم الطلب',
      'order|purchase order|Bestellung|commande|pedido',
    ],
  },
  customer_number: {
    shape: 'code',
    names: 'client reference',
    tiers: [
      'customer number|customer id|client number|client id|account number|Kundennummer|Kundennr|Kunden-Nr|' +
        'numéro client|numéro de client|id client|n° client|code client|identifiant client|número de cliente|' +
        'cliente número|رقم العميل',
    ],
  },
  contract_number: {
    shape: 'code',
    tiers: [
      'contract number|contract id|Vertragsnummer|Vertragsnr|Vertrags-Nr|numéro de contrat|' +
        'número de contrato|رقم العقد',
    ],
  },
  delivery_note_number: {
    shape: 'code',
    tiers: [
      'delivery note number|delivery note|Lieferscheinnummer|Lieferschein-Nr|Lieferscheinnr|' +
        'bon de livraison|albarán|سند التسليم',
    ],
  },
  amount_due: {
    shape: 'amount',
    names: 'balance due|outstanding amount',
    tiers: [
      'amount due|total amount due|balance due|total due|amount payable|outstanding amount|zu zahlender Betrag|zu zahlen|' +
        'Zahlbetrag|Restbetrag|offener Betrag|net à payer|reste à payer|somme à payer|montant à payer|' +
        'importe a pagar|importe pendiente|saldo pendiente|المبلغ المستحق',
      'total payable|total to pay|total à payer|total a pagar',
    ],
  },
  amount_paid: {
    shape: 'amount',
    names: 'paid',
    tiers: [
      'amount paid|paid amount|already paid|payment received|Anzahlung|bereits bezahlt|bezahlter Betrag|acompte versé|' +
        'acompte|déjà payé|montant payé|montant réglé|anticipo|importe pagado|المبلغ المدفوع',
    ],
  },
  total: {
    shape: 'amount',
    names: 'amount|total price|gross amount|gross total|total sum|sum',
    tiers: [
      'grand total|invoice total|total for this invoice|total incl vat|total including vat|total incl tax|' +
        'total including tax|total inc vat|total gross|gross total|gross amount|Gesamtbetrag|Rechnungsbetrag|' +
        'Endbetrag|Bruttobetrag|Rechnungssumme|Gesamt brutto|Summe brutto|Total brutto|total TTC|montant TTC|' +
        'montant total TTC|total facture|total général|total factura|total con IVA|importe total|' +
        'المجموع الكلي|الإجمالي الكلي|المبلغ الإجمالي',
      'total amount due|amount due|total due|balance due|total to pay|total payable|amount payable|total amount|' +
        'Gesamtsumme|Gesamtpreis|zu zahlen|zu zahlender Betrag|Zahlbetrag|net à payer|somme à payer|' +
        'montant à payer|total à payer|montant total|total a pagar|importe a pagar|المبلغ المستحق|الإجمالي',
      'total|gesamt|Summe|importe|المجموع',
    ],
  },
  net_amount: {
    shape: 'amount',
    names: 'amount untaxed|total net amount|amount without tax|amount without vat',
    tiers: [
      'subtotal|sub total|net amount|net total|total net|total excl vat|total excluding vat|total excl tax|' +
        'total before tax|total ex vat|taxable amount|untaxed amount|Zwischensumme|Nettobetrag|Summe netto|' +
        'Gesamt netto|Total netto|Nettosumme|Nettowert|sous-total|total HT|montant HT|total hors taxes|' +
        'montant EUR HT|base imponible|importe neto|total sin IVA|total neto|المجموع الفرعي|' +
        'الإجمالي قبل الضريبة|المجموع قبل الضريبة|netto',
    ],
  },
  tax_amount: {
    shape: 'amount',
    names: 'total tax amount|value added tax|taxes',
    tiers: [
      'vat amount|tax amount|total vat|total tax|sales tax|MwSt-Betrag|Steuerbetrag|montant TVA|total TVA|' +
        'montant de la TVA|cuota IVA|importe IVA|total IVA|ضريبة القيمة المضافة',
      'vat|tax|gst|MwSt|USt|Mehrwertsteuer|Umsatzsteuer|TVA|IVA|impuestos|الضريبة',
    ],
  },
  shipping: {
    shape: 'amount',
    tiers: [
      'shipping|shipping cost|postage|delivery charge|Versandkosten|Versand|frais de port|frais de livraison|' +
        'gastos de envío|رسوم الشحن',
    ],
  },
  discount: {
    shape: 'amount',
    tiers: ['total discount|discount|Gesamtrabatt|Rabatt|Nachlass|remise|descuento|الخصم'],
  },
  currency: { shape: 'currency', tiers: ['currency|Währung|devise|monnaie|moneda|العملة'] },
  seller: {
    shape: 'name',
    names:
      'seller name|vendor name|supplier name|issuer|issuer name|company|merchant|merchant name|store name',
    tiers: [
      'sold by|seller|vendor|supplier|issued by|service provider|Verkäufer|Lieferant|Rechnungssteller|vendeur|' +
        'fournisseur|émetteur|vendedor|proveedor|emisor|البائع|المورد',
    ],
  },
  buyer: {
    shape: 'name',
    names: 'buyer name|client name|recipient|bill to name|purchaser',
    tiers: [
      'bill to|billed to|sold to|invoice to|buyer|customer|customer name|client|guest name|Kunde|' +
        'Rechnungsempfänger|Käufer|Rechnung an|facturé à|acheteur|destinataire|nom du client|nom client|' +
        "nom de l'abonné|cliente|facturar a|comprador|العميل|المشتري|فاتورة إلى",
    ],
  },
  vat_id: {
    shape: 'vat_id',
    names: 'seller vat id|vat|supplier vat number|tax number',
    tiers: [
      'vat number|vat id|vat id number|vat registration number|vat reg number|vat tin|tax id|tin|USt-IdNr|' +
        'UStIdNr|USt-Id|UStId|Umsatzsteuer-ID|Umsatzsteuer-Identifikationsnummer|USt-Id-Nr|numéro de TVA|' +
        'numéro TVA|TVA intracommunautaire|TVA intra communautaire|numéro de TVA intracommunautaire|' +
        'n° de TVA intra communautaire|NIF|CIF|NIF CIF|الرقم الضريبي',
    ],
  },
  tax_number: { shape: 'code', tiers: ['Steuernummer|Steuer-Nr|St.-Nr|service tax number'] },
  iban: { shape: 'iban', names: 'bank account|account iban', tiers: ['iban'] },
  bic: { shape: 'code', tiers: ['bic|swift|swift code|bic swift'] },
  email: {
    shape: 'email',
    names: 'email address|contact email',
    tiers: ['email|courriel|correo electrónico'],
  },
  phone: { shape: 'text', tiers: ['phone|phone number|Telefon|téléphone|teléfono|هاتف'] },
  billing_address: {
    shape: 'text',
    tiers: [
      'billing address|bill to address|Rechnungsadresse|Rechnungsanschrift|adresse de facturation|' +
        'dirección de facturación|عنوان الفاتورة',
    ],
  },
  delivery_address: {
    shape: 'text',
    names: 'ship to',
    tiers: [
      'shipping address|delivery address|ship to|Lieferadresse|Lieferanschrift|adresse de livraison|' +
        'dirección de entrega|عنوان التسليم',
    ],
  },
  payment_terms: {
    shape: 'text',
    tiers: [
      'payment terms|terms of payment|Zahlungsbedingungen|conditions de paiement|condiciones de pago|شروط الدفع',
    ],
  },
  payment_method: {
    shape: 'text',
    tiers: [
      'payment method|payment mode|Zahlungsart|Zahlungsform|mode de paiement|moyen de paiement|' +
        'forma de pago|método de pago|طريقة الدفع',
    ],
  },
};
