// Publishes a job: go run producer.go JOB.json; the broker is named by FANFARE_AMQP_URL.
// Needs github.com/rabbitmq/amqp091-go.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"

	amqp "github.com/rabbitmq/amqp091-go"
)

func main() {
	body, err := os.ReadFile(os.Args[1])
	check(err)
	var job struct{ ID, App string }
	check(json.Unmarshal(body, &job))

	connection, err := amqp.Dial(os.Getenv("FANFARE_AMQP_URL"))
	check(err)
	defer connection.Close()
	channel, err := connection.Channel()
	check(err)
	check(channel.Confirm(false))
	confirms := channel.NotifyPublish(make(chan amqp.Confirmation, 1))
	returns := channel.NotifyReturn(make(chan amqp.Return, 1))

	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	mandatory := true // a job that nobody takes comes back
	check(channel.PublishWithContext(ctx, "fanfare.campaigns", job.App, mandatory, false, amqp.Publishing{
		ContentType:  "application/json",
		Type:         "fanfare.campaign.v1",
		MessageId:    job.ID,
		DeliveryMode: amqp.Persistent,
		Timestamp:    time.Now(),
		Body:         body,
	}))
	select {
	case confirm := <-confirms:
		if !confirm.Ack {
			log.Fatal("the broker refused the job: publish it again")
		}
	case <-ctx.Done():
		log.Fatal("no confirm: publish it again, the id makes it one campaign")
	}
	// A return comes before its confirm.
	select {
	case back := <-returns:
		log.Fatalf("nobody takes it: %s", back.ReplyText)
	default:
	}
	fmt.Println("published", job.ID)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
