// Portuguese (Brazil).
import type { Glossary } from '../glossary.ts';

export default {
  address: 'você, as Brazilian banks and wallets do. Buttons: infinitive (“Copiar código”).',
  say: {
    wallet: 'carteira',
    walletApp: 'app da (sua )?carteira',
    walletWebsite: 'site da carteira',
    walletId: 'ID d(e|a|a sua) carteira',
    payment: 'pagamento',
    paymentService: 'serviço de pagamento',
    order: 'pedido',
    shop: 'loja',
    amount: 'valor',
    code: 'código|Code',
    image: 'imagem',
    device: 'dispositivo',
    request: 'solicitação',
    confirm: 'confirm',
    logIn: 'entr(e|ar) na sua conta',
    website: 'site',
    connection: 'conexão',
    method: 'forma de pagamento',
    anotherWay: 'de outra forma',
    tryAgain: 'tent(e|ar) de novo',
    chargedTwice: 'O valor não será cobrado duas vezes',
    payTwice: 'caso contrário, você pagará duas vezes',
    noMoney: 'nenhum valor foi cobrado',
    countsIfPaid: 'seu pagamento é válido',
  },
  // The first sentence has just named the wallet.
  without: { walletApp: ['walletEmpty'] },
  never: {
    'página de pagamento': 'English says the wallet’s website',
    'login|inici(e|ar) sessão': 'one word for it: “entrar na sua conta”',
    'telemóvel|aplicação|ecrã|ligação|contacte': 'as in Portugal',
    método: 'shops and banks say “forma de pagamento”',
    'se atualiza sozinha': 'colloquial',
    'pagamento a mais': 'colloquial for “pagamento em duplicidade”',
  },
} satisfies Glossary;
