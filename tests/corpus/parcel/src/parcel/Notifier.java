/*
 * Copyright 2025 Parcel authors
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 */
package parcel;

/**
 * The Notifier sends an e-mail to the sender when a shipment is late.
 */
public class Notifier {
    private final Mailer mailer;

    /**
     * Creates a Notifier that uses the given mailer.
     *
     * @param mailer the mailer
     */
    public Notifier(Mailer mailer) {
        this.mailer = mailer;
    }

    /**
     * Sends one warning per shipment and day. A second warning on the same day must be suppressed.
     */
    public void warn(String shipment) {
        if (mailer.sentToday(shipment)) {
            return;
        }
        mailer.send(shipment);
    }
}
